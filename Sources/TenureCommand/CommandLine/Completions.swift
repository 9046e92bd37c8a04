extension Command {
  /// The completion script of a shell, written from the declarations of this command and all below it.
  ///
  /// All three scripts do the same: walk along the typed words as far as they name commands, then offer what
  /// the command reached takes: its verbs, its options, or the kind of thing its arguments are.
  func completions(for shell: Shell) -> String {
    let places = self.places(called: name)
    return switch shell {
    case .bash: bashCompletions(places)
    case .zsh: zshCompletions(places)
    case .fish: fishCompletions(places)
    }
  }

  /// A command and the words that lead to it.
  fileprivate struct Place {
    var path: String
    var command: Command
  }

  private func places(called path: String) -> [Place] {
    [Place(path: path, command: self)]
      + visibleSubcommands.flatMap { $0.places(called: "\(path) \($0.name)") }
  }

  private func bashCompletions(_ places: [Place]) -> String {
    var cases: [String] = []
    for place in places {
      let command = place.command
      for shape in command.parameters where shape.kind == .option {
        cases.append("    '\(place.path) --\(shape.name)') \(bashOffer(shape.completion)) ;;")
      }
      let words =
        command.visibleSubcommands.map(\.name) + command.parameters.compactMap(\.dashed) + ["--help"]
      let argument = command.parameters.first { $0.kind == .argument }
      cases.append(
        """
            '\(place.path)'|'\(place.path) '*)
              COMPREPLY=($(compgen -W \(quoted(words.joined(separator: " "))) -- "$current"))
              \(argument.map { "[[ $current == -* ]] || " + bashOffer($0.completion, adding: true) } ?? ":") ;;
        """)
    }
    // The longest path must be looked at first: `tenure store ` is also the start of `tenure store show`.
    return """
      # Completions of \(name) for bash: source <(\(name) completions bash)
      _\(name)() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path=\(name) word
        for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
          case "$path $word" in
            \(places.dropFirst().map { "'\($0.path)'" }.joined(separator: "|"))) path="$path $word" ;;
          esac
        done
        [[ $previous == --* ]] && path="$path $previous"
        case "$path" in
      \(cases.sorted { key($0) > key($1) }.joined(separator: "\n"))
        esac
      }
      complete -o filenames -F _\(name) \(name)
      """
  }

  private func bashOffer(_ completion: ParameterShape.Completion, adding: Bool = false) -> String {
    let set = adding ? "COMPREPLY+=" : "COMPREPLY="
    return switch completion {
    case .nothing: adding ? ":" : "COMPREPLY=()"
    case .file: "\(set)($(compgen -f -- \"$current\"))"
    case .directory: "\(set)($(compgen -d -- \"$current\"))"
    case .words(let words): "\(set)($(compgen -W \(quoted(words.joined(separator: " "))) -- \"$current\"))"
    }
  }

  private func zshCompletions(_ places: [Place]) -> String {
    var cases: [String] = []
    for place in places {
      let command = place.command
      if command.body == nil {
        let verbs = command.visibleSubcommands.map { quoted("\($0.name):\($0.summary)") }
        cases.append(
          """
              '\(place.path)') local -a verbs=(\(verbs.joined(separator: " ")))
                _describe command verbs ;;
          """)
      } else {
        let specs = command.parameters.map(zshSpecification) + [quoted("(-h --help)--help[Show help.]")]
        cases.append("    '\(place.path)') _arguments -s \(specs.joined(separator: " ")) ;;")
      }
    }
    return """
      #compdef \(name)
      # Completions of \(name) for zsh: source <(\(name) completions zsh), or a file _\(name) in $fpath
      _\(name)() {
        local place=\(name) word
        integer taken=1
        for word in "${(@)words[2,CURRENT-1]}"; do
          case "$place $word" in
            \(places.dropFirst().map { "'\($0.path)'" }.joined(separator: "|"))) place="$place $word"; (( taken++ )) ;;
            *) break ;;
          esac
        done
        shift $(( taken - 1 )) words
        (( CURRENT -= taken - 1 ))
        case "$place" in
      \(cases.joined(separator: "\n"))
        esac
      }
      # Read from a file in $fpath it is the function itself, the first time.
      if [[ $funcstack[1] == _\(name) ]]; then _\(name) "$@"; else compdef _\(name) \(name); fi
      """
  }

  private func zshSpecification(_ shape: ParameterShape) -> String {
    let help = shape.help.filter { $0 != "[" && $0 != "]" && $0 != ":" }
    let action =
      switch shape.completion {
      case .nothing: ":\(shape.placeholder): "
      case .file: ":\(shape.placeholder):_files"
      case .directory: ":\(shape.placeholder):_files -/"
      case .words(let words): ":\(shape.placeholder):(\(words.joined(separator: " ")))"
      }
    return switch shape.kind {
    case .flag: quoted("--\(shape.name)[\(help)]")
    case .option: quoted("\(shape.repeats ? "*" : "")--\(shape.name)=[\(help)]\(action)")
    case .argument: quoted((shape.repeats ? "*" : "") + (shape.isRequired ? action : ":\(action)"))
    }
  }

  private func fishCompletions(_ places: [Place]) -> String {
    var lines = [
      """
      # Completions of \(name) for fish: \(name) completions fish > ~/.config/fish/completions/\(name).fish
      function __\(name)_at
        set -l place \(name)
        for word in (commandline -opc)[2..-1]
          contains -- "$place $word" \(places.dropFirst().map { quoted($0.path) }.joined(separator: " "))
          and set place "$place $word"
        end
        test "$place" = "$argv[1]"
      end
      complete -c \(name) -f
      complete -c \(name) -s h -l help -d 'Show help.'
      """
    ]
    for place in places {
      let here = "complete -c \(name) -n \(quoted("__\(name)_at \(quoted(place.path, inside: true))"))"
      for verb in place.command.visibleSubcommands {
        lines.append("\(here) -a \(verb.name) -d \(quoted(verb.summary))")
      }
      for shape in place.command.parameters {
        let offer =
          switch shape.completion {
          case .nothing: ""
          case .file: " -F"
          case .directory: " -a '(__fish_complete_directories)'"
          case .words(let words): " -a \(quoted(words.joined(separator: " ")))"
          }
        switch shape.kind {
        case .argument: if !offer.isEmpty { lines.append(here + offer) }
        case .flag: lines.append("\(here) -l \(shape.name)\(shape.fishShort) -d \(quoted(shape.help))")
        case .option:
          // Alone means "and no files", which does not go with asking for them.
          let value = shape.completion == .file ? " -r" : " -x"
          lines.append(
            "\(here) -l \(shape.name)\(shape.fishShort)\(value)\(offer) -d \(quoted(shape.help))")
        }
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension ParameterShape {
  fileprivate var dashed: String? { kind == .argument ? nil : "--\(name)" }
  fileprivate var fishShort: String { short.map { " -s \($0)" } ?? "" }
}

/// The path a bash case is about, to sort by.
private func key(_ entry: String) -> String {
  let trimmed = entry.drop { $0 == " " }.dropFirst()
  return String(trimmed.prefix { $0 != "'" })
}

/// A word in single quotes, as every shell reads it.
private func quoted(_ text: String, inside: Bool = false) -> String {
  if inside { return "\"\(text)\"" }
  return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
