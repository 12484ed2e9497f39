/**
 * The {@code holdfast} command: {@link io.holdfast.cli.Holdfast} is its main class, and each
 * subcommand has a class, or a package, of its own.
 */
@NullMarked
package io.holdfast.cli;

import org.jspecify.annotations.NullMarked;
