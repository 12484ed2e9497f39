package io.holdfast.spi;

import org.jspecify.annotations.Nullable;

/**
 * One lock of a batch to be renewed.
 *
 * @param resource what is held
 * @param owner who must still hold it
 * @param claim how much of it the owner needs from now on; if it holds more, the rest is given back
 *     and goes to those who wait
 * @param leaseMillis the lease, counted anew from now
 * @param resumption how to put the owner back should the store have lost it; null for not at all
 */
public record RenewRequest(
    Resource resource,
    Owner owner,
    Claim claim,
    long leaseMillis,
    @Nullable Resumption resumption) {

  /** The name of the resource. */
  public String key() {
    return resource.key();
  }

  /**
   * What the store needs in order to put back an owner that it does not know any more. It does so
   * only if it is certain that nobody has been granted the resource since, which the tokens tell: a
   * store that has given the key, or any key it cannot tell from this one, tokens above these, or
   * that does not remember what it has given, must answer {@link RenewResult.Lost}.
   *
   * @param tokens the tokens of the owner's grant, which stay its own
   * @param thread the name of the thread that holds, for people who look at the lock
   */
  public record Resumption(TokenBlock tokens, String thread) {}
}
