import Notebook
import Tenure
import TenureSystem

extension Command {
  struct RunInput: Sendable {
    var folder: String?
    var container: String?
    var once = false
    var json = false
    var demo = false
  }

  /// `tenure run`
  static let run = Command(
    "run", "Opens a Notebook workspace on a folder of files and shows what happens in it.",
    discussion: """
      Imports the folder's files, each content exactly once, however often it is run or killed. Then two scenes and \
      a service work on the same documents as processes of their own; any of them can be killed at any moment and \
      comes back with what it had. Nothing edits unless a person does (`tenure scene`), or --demo. The folder is \
      only read; the container is FOLDER/.tenure. Ctrl-C ends it within two seconds and says what was saved; so do \
      SIGTERM, SIGQUIT and a terminal that goes away, each with its own exit code.
      """,
    taking: RunInput(),
    [
      .argument("FOLDER", \.folder, completes: .directory, "The folder of files.")
        .byDefault(WorkspacePlace.sample),
      .flag("once", \.once, "One pass: import, summary, end."),
      .flag("json", \.json, "Print the summary as JSON."),
      .flag("demo", \.demo, "Let the two scenes edit by themselves."),
      .option("container", "DIR", \.container, completes: .directory, "Keep the container here."),
    ],
    exits: [
      .success: "done, or ended with Ctrl-C", .findings: "the end was cut off at its two seconds",
      .containerGone: ExitCode.containerGone.meaning, .hungUp: ExitCode.hungUp.meaning,
      .interrupted: "--once was interrupted", .quit: ExitCode.quit.meaning,
      .terminated: ExitCode.terminated.meaning,
    ],
    examples: [
      Example("tenure run ~/Notes", "Opens a workspace on ~/Notes."),
      Example("tenure run --once --json", "One pass over the sample; integers for a script."),
      Example("tenure run --demo", "Two scenes edit the sample's documents in the container."),
    ]
  ) { input, context in
    let place = try WorkspacePlace(
      folder: input.folder, container: input.container, system: context.system)
    guard place.folder != nil else {
      throw UsageError("A folder to import is needed beside --container.")
    }
    let app = AppProcess(place: place, input: input, context: context)
    return input.once ? try await app.runOnce() : try await app.run()
  }
}
