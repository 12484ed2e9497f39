package io.holdfast.testkit.contract;

/**
 * What every engine owes the reentrant lock. Subclass it, name the engine, and all of it runs;
 * after each test the store must be empty again of everything the test's key left there.
 */
public abstract class ReentrantLockContract extends EngineContract
    implements LockMethodsContract,
        LeaseContract,
        FencingContract,
        LossContract,
        StaleChainContract,
        ContentionContract,
        ClosingContract,
        ExitContract,
        InputContract,
        MessagesContract {

  /** For subclasses. */
  protected ReentrantLockContract() {}
}
