package io.holdfast.archfixtures;

/** What an engine must not see. */
public final class PublicApi {}
