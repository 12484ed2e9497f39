package io.holdfast.internal.base;

import java.lang.reflect.Method;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Threads that keep no JVM alive, with names that say whose they are. */
public final class Threads {
  private Threads() {}

  /** Makes daemon threads with this name and a number. */
  public static ThreadFactory named(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * Starts a virtual thread with this name and a number for each task; null before Java 21. We
   * compile for an older Java, so the methods are looked up.
   */
  static @Nullable Executor virtual(String name) {
    ThreadFactory factory = VirtualFactories.named(name);
    return factory == null ? null : task -> factory.newThread(task).start();
  }

  /** {@code Thread.ofVirtual().name(name, 1).factory()}. */
  private static final class VirtualFactories {
    private static final @Nullable Method OF_VIRTUAL;
    private static final @Nullable Method NAME;
    private static final @Nullable Method FACTORY;

    static {
      Method ofVirtual = null;
      Method name = null;
      Method factory = null;
      try {
        Class<?> builder = Class.forName("java.lang.Thread$Builder");
        name = builder.getMethod("name", String.class, long.class);
        factory = builder.getMethod("factory");
        ofVirtual = Thread.class.getMethod("ofVirtual");
        ofVirtual.invoke(null); // in Java 19 and 20 only a preview
      } catch (ReflectiveOperationException | RuntimeException e) {
        ofVirtual = null;
      }
      OF_VIRTUAL = ofVirtual;
      NAME = name;
      FACTORY = factory;
    }

    static @Nullable ThreadFactory named(String name) {
      if (OF_VIRTUAL == null || NAME == null || FACTORY == null) {
        return null;
      }
      try {
        Object builder = NAME.invoke(OF_VIRTUAL.invoke(null), name + "-", 1L);
        return (ThreadFactory) FACTORY.invoke(builder);
      } catch (ReflectiveOperationException e) {
        return null;
      }
    }
  }
}
