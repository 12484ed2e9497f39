package io.holdfast.spi;

/**
 * One lock of a batch to be renewed.
 *
 * @param key the lock
 * @param owner who must still hold it
 * @param leaseMillis the lease, counted anew from now
 */
public record RenewRequest(String key, Owner owner, long leaseMillis) {}
