# The two commands a newcomer needs. Both install what is missing first.
#
#   make run                 opens the sample workspace, Examples/Notebook/Notes
#   make run ARGS=--once     one pass over it, a summary, and the end
#   make run ARGS=~/Notes    a folder of your own
#   make test                builds and runs all tests
#
# STRICT=1 makes every warning of the compiler an error (CI does).

STRICT ?=
FLAGS = $(if $(STRICT),-Xswiftc -warnings-as-errors)

.PHONY: run test dependencies

run: dependencies
	@swift build --quiet --configuration release --product tenure
	@.build/release/tenure run $(ARGS)

test: dependencies
	@swift build --build-tests $(FLAGS)
	@swift test --skip-build $(FLAGS)

dependencies:
	@Tools/install-dependencies
