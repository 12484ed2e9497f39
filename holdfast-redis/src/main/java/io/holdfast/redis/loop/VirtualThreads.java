package io.holdfast.redis.loop;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/** Recognizes virtual threads, on versions of Java that have them. */
final class VirtualThreads {
  private static final @Nullable MethodHandle IS_VIRTUAL = find();

  private VirtualThreads() {}

  static boolean isVirtual(Thread thread) {
    if (IS_VIRTUAL == null) {
      return false;
    }
    try {
      return (boolean) IS_VIRTUAL.invokeExact(thread);
    } catch (Throwable e) {
      throw new AssertionError(e); // isVirtual throws nothing
    }
  }

  private static @Nullable MethodHandle find() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (ReflectiveOperationException e) {
      return null; // before Java 21
    }
  }
}
