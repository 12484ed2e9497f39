package io.holdfast.testkit;

import java.util.concurrent.CountDownLatch;

/** A child that never reads its input and never ends by itself. */
final class BusyMain {
  private BusyMain() {}

  public static void main(String[] args) throws InterruptedException {
    ChildJvm.exitWhenParentDies();
    System.out.println("busy");
    new CountDownLatch(1).await();
  }
}
