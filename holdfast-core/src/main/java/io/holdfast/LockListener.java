package io.holdfast;

/**
 * Hears what happens to the locks of a {@link LockManager}. Calls come in order on one thread that
 * does nothing else; a listener that is slow or throws harms no lock. When a listener is so slow
 * that ten thousand events wait for it, further ones are dropped and the number is logged. Events
 * come after the fact: code that must stop when a lock is lost uses {@link Lease#onLost} or asks
 * {@link Lease#isValid()}.
 *
 * <pre>{@code
 * manager.addListener(e -> { if (e.kind() == LockEvent.Kind.LOST) pager.call(e.toString()); });
 * }</pre>
 */
@FunctionalInterface
public interface LockListener {
  /** One event. */
  void on(LockEvent event);
}
