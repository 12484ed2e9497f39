package io.holdfast.torture.broken;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Holders;
import io.holdfast.spi.Holding;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseRequest;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Mistakes that lock libraries are known for, each as a wrapper around an engine that is right. The
 * suite must find each of them; the simulation those that concern what it does.
 *
 * <pre>{@code
 * LockManager.builder(url).engine(BrokenEngine.FORGETS_TOKENS.wrapFor(url)).build();
 * }</pre>
 */
public enum BrokenEngine {
  /** A release that comes too late takes the lock from whoever has it now: no owner is compared. */
  RELEASES_WITHOUT_ASKING_WHOSE_IT_IS {
    @Override
    public BackendSignals signals(BackendSignals real) {
      return new MuteSignals(real);
    }

    @Override
    public LockBackend of(LockBackend real) {
      return new ForwardingBackend(real) {
        @Override
        public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
          return real.release(request)
              .thenCompose(
                  result ->
                      real.forceRelease(request.resource(), Holders.ALL)
                          .thenApply(forced -> result));
        }
      };
    }
  },
  /** A release is a DEL: whoever gives up deletes the lock, even one who only waited for it. */
  RELEASES_BY_DELETING {
    @Override
    public BackendSignals signals(BackendSignals real) {
      return new MuteSignals(real);
    }

    @Override
    public LockBackend of(LockBackend real) {
      return new ForwardingBackend(real) {
        @Override
        public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
          return real.forceRelease(request.resource(), Holders.ALL)
              .thenCompose(forced -> real.release(request))
              .thenApply(result -> new ReleaseResult.Released());
        }
      };
    }
  },
  /** The store counts less than the client believes, as where the client counts from the reply. */
  GIVES_LESS_TIME_THAN_IT_SAYS {
    @Override
    public LockBackend of(LockBackend real) {
      return new ForwardingBackend(real) {
        @Override
        public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
          return real.acquire(shorter(request)).thenApply(result -> asAsked(result, request));
        }

        @Override
        public CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch) {
          return real.renew(batch.stream().map(BrokenEngine::shorter).toList())
              .thenApply(results -> asAsked(results, batch));
        }
      };
    }
  },
  /** Tokens begin anew with each holder, as where they are kept in the key that is deleted. */
  FORGETS_TOKENS {
    @Override
    public LockBackend of(LockBackend real) {
      return new ForwardingBackend(real) {
        @Override
        public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
          return real.acquire(request)
              .thenApply(
                  result ->
                      result instanceof AcquireResult.Granted granted
                          ? new AcquireResult.Granted(
                              new TokenBlock(1, 1000), granted.leaseMillis(), granted.contended())
                          : result);
        }
      };
    }
  },
  /** A renewal succeeds whoever has the lock: it extends somebody else's. */
  RENEWS_FOR_ANYBODY {
    @Override
    public LockBackend of(LockBackend real) {
      return new ForwardingBackend(real) {
        @Override
        public CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch) {
          return real.renew(batch)
              .thenApply(
                  results -> {
                    List<RenewResult> friendly = new ArrayList<>();
                    for (int i = 0; i < batch.size(); i++) {
                      friendly.add(new RenewResult.Renewed(batch.get(i).leaseMillis(), false));
                    }
                    return friendly;
                  });
        }

        @Override
        public CompletionStage<List<Boolean>> check(List<Holding> holdings) {
          return real.check(holdings).thenApply(all -> all.stream().map(each -> true).toList());
        }
      };
    }
  },
  /** A lock that is lost is taken again in silence, whoever had it meanwhile. */
  TAKES_BACK_WITHOUT_A_WORD {
    @Override
    public BackendSignals signals(BackendSignals real) {
      return new MuteSignals(real);
    }

    @Override
    public LockBackend of(LockBackend real) {
      return new ForwardingBackend(real) {
        @Override
        public CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch) {
          for (RenewRequest request : batch) {
            real.forceRelease(request.resource(), Holders.ALL);
            real.acquire(
                new AcquireRequest(
                    request.resource(),
                    request.owner(),
                    request.claim(),
                    request.leaseMillis(),
                    "",
                    false,
                    0,
                    ""));
          }
          return real.renew(batch);
        }
      };
    }
  },
  /** A grant to somebody who waited is not told: the wake-up is lost. */
  FORGETS_WHO_WAITS {
    @Override
    public BackendSignals signals(BackendSignals real) {
      return new DeafSignals(real);
    }

    @Override
    public LockBackend of(LockBackend real) {
      return new ForwardingBackend(real) {
        @Override
        public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
          boolean wakes = !request.enqueue();
          return real.acquire(request)
              .thenApply(
                  result ->
                      wakes || !(result instanceof AcquireResult.Granted)
                          ? result
                          : new AcquireResult.Busy(-1));
        }
      };
    }
  },
  /** Several locks in one step, but not all or none. */
  TAKES_SOME_OF_SEVERAL {
    @Override
    public LockBackend of(LockBackend real) {
      return new ForwardingBackend(real) {
        @Override
        public Optional<CompletionStage<List<AcquireResult>>> acquireAll(
            List<AcquireRequest> requests) {
          requests.forEach(real::acquire);
          return Optional.of(
              CompletableFuture.completedFuture(
                  requests.stream()
                      .map(
                          each ->
                              (AcquireResult)
                                  new AcquireResult.Granted(
                                      TokenBlock.ofTick(1 + (each.owner().hashCode() & 0xffffL)),
                                      each.leaseMillis(),
                                      false))
                      .toList()));
        }
      };
    }
  },
  /** A semaphore has one permit more than it should have, as where the limit is compared by <=. */
  GRANTS_ONE_TOO_MANY {
    @Override
    public LockBackend of(LockBackend real) {
      return new ForwardingBackend(real) {
        @Override
        public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
          Claim claim = request.claim();
          return request.resource().kind() == Resource.Kind.SEMAPHORE
              ? real.acquire(
                  asking(
                      request,
                      new Claim(claim.amount(), claim.limit() + 1, claim.overtakes()),
                      request.leaseMillis()))
              : real.acquire(request);
        }
      };
    }
  },
  /** A writer is let in beside readers. */
  LETS_WRITERS_IN_BESIDE_READERS {
    @Override
    public LockBackend of(LockBackend real) {
      return new ForwardingBackend(real) {
        @Override
        public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
          return request.claim().equals(Claim.WRITE)
              ? real.acquire(asking(request, Claim.READ, request.leaseMillis()))
              : real.acquire(request);
        }
      };
    }
  },
  /**
   * Who came last is served first: a release passes over all others in the queue, and those are
   * last when they ask again, however long they have waited.
   */
  HANDS_TO_WHO_CAME_LAST {
    @Override
    public LockBackend of(LockBackend real) {
      return new ForwardingBackend(real) {
        @Override
        public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
          return real.acquire(asking(request, request.claim(), request.leaseMillis()));
        }

        @Override
        public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
          Resource resource = request.resource();
          return resource.kind() == Resource.Kind.LOCK
              ? real.inspect(resource)
                  .thenCompose(snapshot -> dropAllButTheLast(resource, snapshot.waiters()))
                  .thenCompose(dropped -> real.release(request))
              : real.release(request);
        }

        private CompletionStage<?> dropAllButTheLast(
            Resource resource, List<LockSnapshot.Waiter> waiters) {
          CompletionStage<?> done = CompletableFuture.completedFuture(null);
          for (int i = 0; i < waiters.size() - 1; i++) {
            Owner before = waiters.get(i).owner();
            done = done.thenCompose(one -> real.release(new ReleaseRequest(resource, before)));
          }
          return done;
        }
      };
    }
  },
  /** A latch is counted down twice, as where a client library repeats commands. */
  COUNTS_TWICE {
    @Override
    public LockBackend of(LockBackend real) {
      return new ForwardingBackend(real) {
        @Override
        public CompletionStage<Long> countDown(Resource resource) {
          return real.countDown(resource)
              .thenCompose(left -> left > 0 ? real.countDown(resource) : real.count(resource))
              .thenApply(left -> Math.max(0, left));
        }
      };
    }
  };

  private static final long PART = 5; // of the lease that the client believes in

  /** The engine with the mistake. */
  public abstract LockBackend of(LockBackend real);

  /** What the engine tells on its own, with the mistake. */
  public BackendSignals signals(BackendSignals real) {
    return real;
  }

  /** A provider whose engines have the mistake. */
  public LockBackendProvider wrap(LockBackendProvider real) {
    return new BrokenProvider(this, real);
  }

  /** A provider for a URL whose engines have the mistake. */
  public LockBackendProvider wrapFor(String url) {
    for (LockBackendProvider each : ServiceLoader.load(LockBackendProvider.class)) {
      if (each.accepts(url)) {
        return wrap(each);
      }
    }
    throw new IllegalArgumentException("no engine for " + url);
  }

  /** The same for less or more, by one who has not waited yet. */
  private static AcquireRequest asking(AcquireRequest request, Claim claim, long leaseMillis) {
    return new AcquireRequest(
        request.resource(),
        request.owner(),
        claim,
        leaseMillis,
        request.thread(),
        request.enqueue(),
        request.waiterTtlMillis(),
        request.note());
  }

  private static AcquireRequest shorter(AcquireRequest request) {
    return asking(request, request.claim(), Math.max(1, request.leaseMillis() / PART));
  }

  private static AcquireResult asAsked(AcquireResult result, AcquireRequest request) {
    return result instanceof AcquireResult.Granted granted
        ? new AcquireResult.Granted(granted.tokens(), request.leaseMillis(), granted.contended())
        : result;
  }

  private static RenewRequest shorter(RenewRequest request) {
    return new RenewRequest(
        request.resource(),
        request.owner(),
        request.claim(),
        Math.max(1, request.leaseMillis() / PART),
        request.resumption());
  }

  private static List<RenewResult> asAsked(List<RenewResult> results, List<RenewRequest> batch) {
    List<RenewResult> told = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      told.add(
          results.get(i) instanceof RenewResult.Renewed renewed
              ? new RenewResult.Renewed(batch.get(i).leaseMillis(), renewed.contended())
              : results.get(i));
    }
    return told;
  }
}
