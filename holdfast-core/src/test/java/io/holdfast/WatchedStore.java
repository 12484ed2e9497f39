package io.holdfast;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The memory engine with a test standing between it and the engine of core: it may answer in the
 * store's place, hold a call back, or send a signal a second time, as the SPI allows.
 */
public final class WatchedStore implements LockBackendProvider {
  private final MemoryBackendProvider memory;
  private final Map<String, Function<Call, @Nullable Object>> answers = new ConcurrentHashMap<>();
  private final List<Call> signals = new CopyOnWriteArrayList<>();
  private final Set<String> ignored = ConcurrentHashMap.newKeySet();

  public WatchedStore(MemoryStore store) {
    this.memory = new MemoryBackendProvider(store);
  }

  /** From now on this answers calls of the method with that name. */
  public void answer(String method, Function<Call, @Nullable Object> instead) {
    answers.put(method, instead);
  }

  /** From now on the store answers itself again. */
  public void answerNormally(String method) {
    answers.remove(method);
  }

  /** From now on signals with this name are lost. */
  public void ignoreSignals(String name) {
    ignored.add(name);
  }

  /** What the store has said on its own, the last one last. */
  public List<Call> signals(String name) {
    return signals.stream().filter(call -> call.name().equals(name)).toList();
  }

  @Override
  public boolean accepts(String url) {
    return memory.accepts(url);
  }

  @Override
  public String urlForms() {
    return memory.urlForms();
  }

  @Override
  public LockBackend open(String url, BackendContext context) {
    BackendSignals heard =
        between(
            BackendSignals.class,
            context.signals(),
            call -> {
              signals.add(call);
              return ignored.contains(call.name()) ? null : call.proceed();
            });
    BackendContext watched =
        new BackendContext(context.identity(), heard, context.time(), context.scheduler());
    return between(
        LockBackend.class,
        memory.open(url, watched),
        call -> answers.getOrDefault(call.name(), Call::proceed).apply(call));
  }

  private static <T> T between(Class<T> type, T real, Function<Call, @Nullable Object> how) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> how.apply(new Call(real, method, arguments))));
  }

  /** A call on its way. */
  public static final class Call {
    private final Object target;
    private final Method method;
    private final Object @Nullable [] arguments;

    Call(Object target, Method method, Object @Nullable [] arguments) {
      this.target = target;
      this.method = method;
      this.arguments = arguments;
    }

    /** The name of the method. */
    public String name() {
      return method.getName();
    }

    /** What it was called with. */
    public Object argument(int index) {
      return Objects.requireNonNull(arguments, "arguments")[index];
    }

    /** Goes through; may be done late or more than once. */
    public @Nullable Object proceed() {
      try {
        return method.invoke(target, arguments);
      } catch (InvocationTargetException e) {
        throw new IllegalStateException(e.getCause());
      } catch (IllegalAccessException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public String toString() {
      return name() + List.of(arguments == null ? new Object[0] : arguments);
    }
  }
}
