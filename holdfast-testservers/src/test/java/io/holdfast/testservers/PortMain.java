package io.holdfast.testservers;

import io.holdfast.testkit.ParentProcess;
import java.io.IOException;

/** A child that draws a port, says which, and does not listen. */
final class PortMain {
  private PortMain() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    ParentProcess parent = ParentProcess.connect();
    parent.tell(Integer.toString(LoopbackPorts.free()));
    while (true) {
      parent.next();
    }
  }
}
