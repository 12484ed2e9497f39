/**
 * The contract tests. An engine passes when a subclass of each of them, with nothing but an {@link
 * io.holdfast.testkit.contract.EngineUnderTest} in it, is green:
 *
 * <pre>{@code
 * class MyLockContractTest extends ReentrantLockContract {
 *   @Override protected EngineUnderTest engine() { return new MyEngineUnderTest(); }
 * }
 * }</pre>
 */
@NullMarked
package io.holdfast.testkit.contract;

import org.jspecify.annotations.NullMarked;
