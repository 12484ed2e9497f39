package io.holdfast.testkit.engine;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The memory engine with a test in between, as a network would be: a request may be refused, be
 * executed late or twice, or get no answer, and a signal may be late. Methods are named by text, so
 * that a method more or less in the SPI is of no concern here.
 *
 * <pre>{@code
 * HeldCall renewal = store.holdNext("renew");
 * ...
 * renewal.answer(List.of(new RenewResult.Unknown(new TimeoutException())));
 * ...
 * renewal.execute();      // the store does it only now
 * }</pre>
 */
final class InterceptedStore implements LockBackendProvider {
  private final MemoryBackendProvider memory;
  private final Map<String, Function<Call, Object>> rules = new ConcurrentHashMap<>();

  InterceptedStore(MemoryStore store) {
    this.memory = new MemoryBackendProvider(store);
  }

  /** From now on calls of this method, or signals of this name, go to the rule instead. */
  void on(String method, Function<Call, Object> rule) {
    rules.put(method, rule);
  }

  /** Keeps the next call of this method back; those after it go through. */
  HeldCall holdNext(String method) {
    HeldCall held = new HeldCall();
    on(
        method,
        call -> {
          rules.remove(method);
          return held.hold(call);
        });
    return held;
  }

  /** Lets everything through again. */
  void passAll() {
    rules.clear();
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
    BackendSignals signals = inBetween(BackendSignals.class, context.signals());
    return inBetween(
        LockBackend.class,
        memory.open(
            url,
            new BackendContext(context.identity(), signals, context.time(), context.scheduler())));
  }

  private <T> T inBetween(Class<T> type, T real) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              Call call = new Call(real, method, arguments);
              Function<Call, Object> rule = rules.get(method.getName());
              if (rule != null) {
                return rule.apply(call);
              }
              return method.getName().equals("releaseAndAcquire") // of a release and an acquire
                  ? InvocationHandler.invokeDefault(proxy, method, arguments)
                  : call.proceed();
            }));
  }

  /** One call on its way to the store, or one signal on its way back. */
  static final class Call {
    private final Object target;
    private final Method method;
    private final Object[] arguments;

    private Call(Object target, Method method, Object[] arguments) {
      this.target = target;
      this.method = method;
      this.arguments = arguments;
    }

    Object argument(int index) {
      return arguments[index];
    }

    /** Goes through, now. */
    Object proceed() {
      try {
        return method.invoke(target, arguments);
      } catch (InvocationTargetException e) {
        throw new IllegalStateException(e.getCause());
      } catch (IllegalAccessException e) {
        throw new IllegalStateException(e);
      }
    }

    boolean isSignal() {
      return method.getReturnType() == void.class;
    }
  }

  /** A call that is kept back. */
  static final class HeldCall {
    private final CompletableFuture<Call> caught = new CompletableFuture<>();
    private final CompletableFuture<Object> answer = new CompletableFuture<>();

    private Object hold(Call call) {
      caught.complete(call);
      return call.isSignal() ? null : answer;
    }

    boolean isCaught() {
      return caught.isDone();
    }

    /** The caller hears this; the store has not heard anything yet. */
    void answer(Object instead) {
      answer.complete(instead);
    }

    /** The store, or the one who is signalled, hears it now; the caller hears nothing of it. */
    Object execute() {
      if (!isCaught()) {
        throw new IllegalStateException("nothing was called yet");
      }
      return caught.join().proceed();
    }

    /** The store does it now and the caller hears what came of it. */
    void letGo() {
      ((CompletionStage<?>) execute())
          .whenComplete(
              (result, fault) -> {
                if (fault == null) {
                  answer.complete(result);
                } else {
                  answer.completeExceptionally(fault);
                }
              });
    }
  }
}
