package io.holdfast.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.holdfast.LockConfig;
import io.holdfast.LockHealth;
import io.holdfast.MetricsCollector;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.lease.TenureListener;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TimeSource;
import io.holdfast.spi.TokenBlock;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A million handoffs a second pass by here: when nobody wants to know, nothing is made. */
@Isolated
class EventBusCostTest {
  private static final int TIMES = 100_000;

  private final EventBus bus = new EventBus(TimeSource.system(), new AuditLog(false, "client"));
  private final Hold hold = hold();

  @Test
  void tellingNobodyAllocatesNothing() {
    bus.started(MetricsCollector.NONE, new Manager());
    allocatedBy(10); // loads what there is to load

    assertThat(allocatedBy(TIMES)).isLessThan(TIMES / 10L); // no byte, on any call
  }

  @Test
  void theMeasurementSeesWhatIsAllocated() {
    bus.started(new Keeping(), new Manager());

    assertThat(allocatedBy(TIMES)).isGreaterThan(TIMES); // the lambda, the Duration
  }

  private long allocatedBy(int times) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < times; i++) {
      bus.acquired(hold, "key", i);
      bus.released(hold, "key", "handed on");
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private static Hold hold() {
    Duration lease = Duration.ofSeconds(30);
    AcquireSpec spec =
        new AcquireSpec(LockConfig.defaults(), Claim.EXCLUSIVE, true, lease, true, 0, false);
    TenureListener holder =
        new TenureListener() {
          @Override
          public Resource resource() {
            return Resource.lock("key");
          }

          @Override
          public void tenureLost(Tenure lost) {}
        };
    Owner owner = new Owner("client", "tenure");
    TokenBlock tokens = new TokenBlock(1, 10);
    Tenure tenure = new Tenure(holder, owner, spec, tokens, System.nanoTime(), lease, false, null);
    return new Hold(tenure, spec, 1, 0, System.nanoTime(), Thread.currentThread());
  }

  /** Keeps what it hears, so that no compiler can do without making it. */
  private static final class Keeping implements MetricsCollector {
    private volatile Duration last = Duration.ZERO;

    @Override
    public void released(String key, Duration held) {
      last = last.compareTo(held) < 0 ? held : Duration.ofNanos(held.toNanos());
    }
  }

  private static final class Manager implements MetricsCollector.Source {
    @Override
    public String engine() {
      return "memory";
    }

    @Override
    public LockHealth health() {
      return new LockHealth("memory", true, null, 0, 0, 0, 0, 0, 0, List.of());
    }
  }
}
