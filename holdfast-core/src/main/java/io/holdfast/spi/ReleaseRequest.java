package io.holdfast.spi;

/**
 * One attempt to give up a lock, or a place in its queue.
 *
 * @param resource what is claimed
 * @param owner the owner that gives it up
 * @param contended true if the owner knows that others wait: then a store may notify the next
 *     holder before it acknowledges the release
 */
public record ReleaseRequest(Resource resource, Owner owner, boolean contended) {
  /** A release of which nobody is known to wait for the outcome. */
  public ReleaseRequest(Resource resource, Owner owner) {
    this(resource, owner, false);
  }
}
