package io.holdfast.archfixtures.internal;

/** What only the public API may use. */
public final class Mechanics {}
