package io.holdfast.bench.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of a child JVM. */
public final class JavaCommand {
  private final List<String> options = new ArrayList<>();
  private final String mainClass;
  private final String classPath;
  private Path home = Path.of(System.getProperty("java.home"));

  /** A JVM with this class path that runs this class. */
  public JavaCommand(Class<?> mainClass, String classPath) {
    this.mainClass = mainClass.getName();
    this.classPath = classPath;
  }

  /** Another JDK than that of this JVM. */
  public JavaCommand home(Path home) {
    this.home = home;
    return this;
  }

  /** Adds options for the JVM. */
  public JavaCommand options(String... more) {
    options.addAll(List.of(more));
    return this;
  }

  /** The command, with arguments for the main class. */
  public List<String> with(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(home.resolve("bin").resolve("java").toString());
    command.addAll(options);
    command.addAll(List.of("-Dstdout.encoding=UTF-8", "-cp", classPath, mainClass));
    command.addAll(List.of(arguments));
    return command;
  }
}
