package io.holdfast.spi;

/**
 * What a holder believes to hold.
 *
 * @param resource what
 * @param owner who
 */
public record Holding(Resource resource, Owner owner) {}
