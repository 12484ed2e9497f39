/**
 * An engine as a third party would write it: locks in the files of a folder, for processes of one
 * machine. It is small because {@link io.holdfast.spi.state.ResourceStep} has the rules.
 */
@NullMarked
package com.example.files;

import org.jspecify.annotations.NullMarked;
