import SegdlCommand

_ = SegdlCommand.run(arguments: Array(CommandLine.arguments.dropFirst()))
