package io.holdfast.cli;

import io.holdfast.cli.demo.DemoCommand;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The main class of the {@code holdfast} command. It only knows the subcommands; to add one, write
 * a class for it and name it here. Exit codes: 0 all is well, 1 the command failed, 2 it was called
 * in a way that cannot work, which takes one line to say.
 */
@Command(
    name = "holdfast",
    description = "Distributed locks for the JVM.",
    mixinStandardHelpOptions = true,
    versionProvider = VersionFromBuild.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = DemoCommand.class)
public final class Holdfast implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  /** Runs the command and ends the JVM with its exit code. */
  public static void main(String[] args) {
    System.exit(commandLine(Screen.standardOutput()).execute(args));
  }

  /** The command, ready to execute, with its output going to the writer. */
  public static CommandLine commandLine(PrintWriter out) {
    return new CommandLine(new Holdfast())
        .setOut(out)
        .setParameterExceptionHandler(Holdfast::sayWhatIsWrong);
  }

  /** Without a subcommand there is nothing to do but to say which there are. */
  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }

  private static int sayWhatIsWrong(ParameterException wrong, String[] args) {
    CommandLine command = wrong.getCommandLine();
    PrintWriter err = command.getErr();
    String name = command.getCommandSpec().qualifiedName();
    err.println(name + ": " + wrong.getMessage());
    if (wrong instanceof UnmatchedArgumentException) {
      err.println("Try '" + name + " --help'.");
    }
    return ExitCode.USAGE;
  }
}
