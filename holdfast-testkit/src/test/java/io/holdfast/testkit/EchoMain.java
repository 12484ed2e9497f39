package io.holdfast.testkit;

import java.util.Arrays;

/** A child that says what it is told. */
final class EchoMain {
  private EchoMain() {}

  public static void main(String[] args) throws InterruptedException {
    ParentProcess parent = ParentProcess.connect();
    parent.tell("arguments " + Arrays.toString(args));
    while (true) {
      String command = parent.next();
      if (command.startsWith("exit ")) {
        System.exit(Integer.parseInt(command.substring("exit ".length())));
      }
      switch (command) {
        case "fail" -> throw new IllegalStateException("as requested");
        case "settings" ->
            parent.tell("settings " + System.getProperty("shape") + " " + System.getenv("COLOUR"));
        default -> parent.tell("echo " + command);
      }
    }
  }
}
