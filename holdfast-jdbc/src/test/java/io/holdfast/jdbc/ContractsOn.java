package io.holdfast.jdbc;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/**
 * Names the database and the strategy of the contracts in a class. Each contract has its own
 * tables: contracts run concurrently, the tests of one contract in sequence.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(providers = ContractsOn.TablesOfItsOwn.class)
@interface ContractsOn {
  /** The strategy that locks rows. */
  String PESSIMISTIC = "pessimistic";

  /** The strategy that compares versions. */
  String OPTIMISTIC = "optimistic";

  /** The database of the locks. */
  TestDatabase.Kind database();

  /** The strategy that changes rows. */
  String strategy();

  /** A lock per contract: its tests share tables, so JUnit runs them one after the other. */
  final class TablesOfItsOwn implements ResourceLocksProvider {
    @Override
    public Set<Lock> provideForNestedClass(
        List<Class<?>> enclosingInstanceTypes, Class<?> testClass) {
      return Set.of(new Lock(testClass.getName()));
    }
  }
}
