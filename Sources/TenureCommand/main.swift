import TenureSystem

let terminal = Terminal.live(.live)
let context = CommandContext(
  terminal: terminal, system: .live, executable: CommandLine.arguments.first ?? "tenure", root: .tenure)
let code = await Command.tenure.dispatch(
  Array(CommandLine.arguments.dropFirst()), called: "tenure", in: context)
endProcess(terminal.exitCode(after: code))
