package io.holdfast.bench.lock;

import io.holdfast.bench.store.Store;

/**
 * One row of a table: a library and a kind of lock.
 *
 * @param label its name in reports
 * @param library the library
 * @param kind the kind of lock
 */
public record Subject(String label, Library library, LockKind kind) {
  /** Where its locks are kept. */
  public Store store() {
    return library.store();
  }

  /** True for ours. */
  public boolean ours() {
    return library.ours();
  }

  @Override
  public String toString() {
    return label;
  }
}
