package io.holdfast.compat.program;

import io.holdfast.LockManager;

/** Locks on Redis where Netty is too old for the caller loop; who asks for the loop is told so. */
public final class WithoutCallerLoop {
  private WithoutCallerLoop() {}

  /** The entry point. */
  public static void main(String[] urls) throws Exception {
    try {
      LockManager.create(urls[0] + "&io=caller").close();
      throw new AssertionError("io=caller was not refused");
    } catch (IllegalArgumentException e) {
      Consumer.check(String.valueOf(e.getMessage()).contains("Netty 4.2"), e.toString());
    }
    Consumer.main(urls);
  }
}
