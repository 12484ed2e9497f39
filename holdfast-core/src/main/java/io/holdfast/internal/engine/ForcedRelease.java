package io.holdfast.internal.engine;

import io.holdfast.LossReason;
import io.holdfast.internal.lease.ForcedOrder;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.spi.Holders;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.Resource;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Opens something by force on behalf of an operator. That is one event for whoever reads the log:
 * tenures of this process that end by it write no line of their own ({@link ForcedOrder}).
 */
public final class ForcedRelease {
  private final LockEngine engine;
  private final Context context;

  ForcedRelease(LockEngine engine) {
    this.engine = engine;
    this.context = engine.context();
  }

  /**
   * Asks the store and ends what this process has of it.
   *
   * @param touched which tenures end by it
   * @return true if somebody held it
   */
  public boolean run(
      Resource resource,
      Predicate<Tenure> touched,
      Function<LockBackend, CompletionStage<Boolean>> order) {
    List<Tenure> here =
        engine.renewals().tenures().stream()
            .filter(each -> each.resource().equals(resource))
            .filter(touched)
            .toList();
    boolean held = here.stream().anyMatch(each -> !each.holder().holdsIn(each).isEmpty());
    ForcedOrder underWay = new ForcedOrder();
    here.forEach(each -> each.forcedBy(underWay));
    boolean forced = false;
    try {
      forced = engine.queries().ask(resource, order);
    } finally {
      if (!forced) {
        underWay.failed();
        here.forEach(each -> each.notForcedBy(underWay));
      }
    }
    if (forced) {
      context.events().forced(resource, held);
      underWay.carriedOut();
      here.forEach(each -> engine.lose(each, LossReason.GONE_FROM_STORE));
    }
    return forced;
  }

  /** The same for everything that this process has of it. */
  public boolean run(Resource resource) {
    return run(resource, each -> true, backend -> backend.forceRelease(resource, Holders.ALL));
  }
}
