package io.holdfast.testkit.contract;

import io.holdfast.LockManagerBuilder;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;

/**
 * An engine with a store that the contract tests may use, look into and damage. Each test gets a
 * new object; the store behind it may be shared, since every test uses keys of its own.
 */
public interface EngineUnderTest extends AutoCloseable {
  /** Settings for one more manager on the same store. Each stands for a process of its own. */
  LockManagerBuilder newManager();

  /** Removes a lock from the store by hand, behind the back of its holder. */
  void removeByHand(String key);

  /** Makes the store forget everything it knows, as a restart without persistence would. */
  void forgetEverything();

  /** What the store still has that belongs to this key: locks, queues, anything. */
  Collection<String> leftoversOf(String key);

  /**
   * How long it may take until a holder hears that another process waits, with room for a machine
   * so busy that a thread stops for two seconds. The default suits a store that tells the holder at
   * once; a store that must be asked needs longer, and a test that has held the lock for longer
   * than this gives it as long again. Until then the holder's process may pass the lock on among
   * its threads.
   */
  default Duration holdersHearWithin() {
    return Duration.ofSeconds(3);
  }

  /**
   * True if the store can tell, of a lock that was removed by hand, that nobody has had it since.
   * If not, the contract is that such a lock is never taken back.
   */
  default boolean canTellWhetherAnybodyHadIt() {
    return true;
  }

  /**
   * True if the store gives somebody who has waited in its process already a place before those who
   * came later. If not, the contract of a fair lock is that processes take turns.
   */
  default boolean knowsWhoCameFirst() {
    return true;
  }

  /**
   * The URL by which another process reaches this store; empty if none can, or if the engine is not
   * found by its URL. Tests with real processes are left out then.
   */
  default Optional<String> urlForOtherProcesses() {
    return Optional.empty();
  }

  /**
   * True for a thread that a library has started for the whole process, and that does not end with
   * a manager. Every other thread that a manager or its engine starts ends soon after its close.
   */
  default boolean isShared(Thread thread) {
    return false;
  }

  @Override
  default void close() {}
}
