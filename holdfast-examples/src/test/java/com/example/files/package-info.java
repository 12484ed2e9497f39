@NullMarked
package com.example.files;

import org.jspecify.annotations.NullMarked;
