package io.holdfast.spi;

/**
 * One lock of a batch to be renewed.
 *
 * @param resource what is held
 * @param owner who must still hold it
 * @param leaseMillis the lease, counted anew from now
 */
public record RenewRequest(Resource resource, Owner owner, long leaseMillis) {

  /** The name of the resource. */
  public String key() {
    return resource.key();
  }
}
