package io.holdfast.testkit.nothing;

/** Stands in a package that tests no engine. */
public final class WithoutContracts {
  private WithoutContracts() {}
}
