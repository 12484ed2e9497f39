package io.holdfast.testkit;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericDeclaration;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The public and protected signatures of some packages as text, compared with a committed file: a
 * change of an API is seen in the change that makes it.
 *
 * <pre>{@code
 * @Test
 * void isAsRecorded() {
 *   RecordedApi.of(LockManager.class, "io.holdfast", "io.holdfast.spi")
 *       .compareWith(Path.of("src/test/api/holdfast-core.txt"));
 * }
 * }</pre>
 *
 * <p>With {@code -Dholdfast.api=record} the file is written instead.
 */
public final class RecordedApi {
  private static final String PROPERTY = "holdfast.api";
  private static final int SHOWN =
      Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.ABSTRACT | Modifier.FINAL;

  private static final int WIDTH = 120;
  private static final String FURTHER = " ".repeat(8);
  private static final Pattern PACKAGES = Pattern.compile("\\b(?:[a-z]\\w*\\.)+(?=[A-Z])");

  private final List<String> lines;

  private RecordedApi(List<String> lines) {
    this.lines = lines;
  }

  /**
   * What these packages offer.
   *
   * @param any a class of the same module
   */
  public static RecordedApi of(Class<?> any, String... packages) {
    Map<String, List<String>> types = new TreeMap<>();
    for (String name : classNames(any, packages)) {
      Class<?> type = load(any, name);
      if (isOffered(type)) {
        types.put(name(type.getName()), describe(type));
      }
    }
    return new RecordedApi(types.values().stream().flatMap(List::stream).toList());
  }

  /** The signatures, a line each. */
  public List<String> lines() {
    return lines;
  }

  /** Fails if they are not what the file says, and says how to accept the change. */
  public void compareWith(Path file) {
    try {
      if ("record".equals(System.getProperty(PROPERTY))) {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, lines);
        return;
      }
      List<String> recorded = Files.exists(file) ? Files.readAllLines(file) : List.of();
      if (!recorded.equals(lines)) {
        fail(difference(recorded, file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String difference(List<String> recorded, Path file) {
    List<String> changes = new ArrayList<>();
    qualified(recorded).stream()
        .filter(each -> !qualified(lines).contains(each))
        .forEach(each -> changes.add("- " + each));
    qualified(lines).stream()
        .filter(each -> !qualified(recorded).contains(each))
        .forEach(each -> changes.add("+ " + each));
    return """
        The public API is not what %s says:
        %s
        If this is meant, run the test again with -D%s=record, commit the file, and tell users in \
        CHANGELOG.md."""
        .formatted(file, String.join("\n", changes), PROPERTY);
  }

  /** Each member with its type, so that a line says where it belongs. */
  private static List<String> qualified(List<String> lines) {
    List<String> qualified = new ArrayList<>();
    String type = "";
    for (String line : lines) {
      boolean member = line.startsWith("  ");
      type = member ? type : line;
      qualified.add(member ? type + line : line);
    }
    return qualified;
  }

  // ---- finding

  private static List<String> classNames(Class<?> any, String... packages) {
    try {
      Path place = Path.of(any.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isDirectory(place)) {
        return classNamesBelow(place, packages);
      }
      try (FileSystem jar =
          FileSystems.newFileSystem(URI.create("jar:" + place.toUri()), Map.of())) {
        return classNamesBelow(jar.getPath("/"), packages);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> classNamesBelow(Path root, String... packages) throws IOException {
    List<String> names = new ArrayList<>();
    for (String each : packages) {
      try (Stream<Path> files = Files.list(root.resolve(each.replace('.', '/')))) {
        files
            .map(file -> String.valueOf(file.getFileName()))
            .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
            .forEach(file -> names.add(each + "." + file.substring(0, file.length() - 6)));
      }
    }
    return names;
  }

  private static Class<?> load(Class<?> any, String name) {
    try {
      return Class.forName(name, false, any.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isOffered(Class<?> type) {
    Class<?> outer = type.getEnclosingClass();
    return isOffered(type.getModifiers())
        && !type.isAnonymousClass()
        && !type.isLocalClass()
        && (outer == null || isOffered(outer));
  }

  private static boolean isOffered(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  // ---- describing

  private static List<String> describe(Class<?> type) {
    List<String> members = new ArrayList<>();
    for (Field field : type.getDeclaredFields()) {
      if (isOffered(field.getModifiers()) && !field.isSynthetic()) {
        members.add(describe(field));
      }
    }
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      if (isOffered(constructor.getModifiers()) && !constructor.isSynthetic()) {
        members.add(describe(constructor, "", type.getSimpleName()));
      }
    }
    for (Method method : type.getDeclaredMethods()) {
      if (isOffered(method.getModifiers()) && !method.isSynthetic()) {
        String nullable =
            nullable(method.getAnnotatedReturnType().isAnnotationPresent(Nullable.class));
        String result = nullable + name(method.getGenericReturnType()) + " ";
        members.add(describe(method, result, method.getName()));
      }
    }
    List<String> lines = new ArrayList<>();
    lines.add(header(type));
    members.stream().sorted().forEach(member -> lines.addAll(folded("  " + member)));
    return lines;
  }

  private static List<String> folded(String line) {
    int comma = line.length() <= WIDTH ? -1 : line.lastIndexOf(", ", WIDTH - 2);
    if (comma < 0) {
      return List.of(line);
    }
    List<String> lines = new ArrayList<>(List.of(line.substring(0, comma + 1)));
    lines.addAll(folded(FURTHER + line.substring(comma + 2)));
    return lines;
  }

  private static String header(Class<?> type) {
    String kind =
        type.isAnnotation()
            ? "@interface"
            : type.isInterface()
                ? "interface"
                : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
    int implied = Modifier.STATIC | Modifier.ABSTRACT | Modifier.FINAL;
    int hidden = kind.equals("class") ? 0 : implied;
    String modifiers = Modifier.toString(type.getModifiers() & SHOWN & ~hidden);
    StringBuilder text = new StringBuilder(modifiers).append(type.isSealed() ? " sealed " : " ");
    text.append(kind).append(' ').append(name(type.getName())).append(typeParameters(type));
    Type parent = type.getGenericSuperclass();
    if (parent != null && parent != Object.class && kind.equals("class")) {
      text.append(" extends ").append(name(parent));
    }
    String interfaces =
        Arrays.stream(type.getGenericInterfaces()).map(RecordedApi::name).collect(joining(", "));
    if (!interfaces.isEmpty()) {
      text.append(type.isInterface() ? " extends " : " implements ").append(interfaces);
    }
    return text.toString();
  }

  private static String describe(Field field) {
    String text =
        "%s %s%s %s"
            .formatted(
                Modifier.toString(field.getModifiers() & SHOWN),
                nullable(field.getAnnotatedType().isAnnotationPresent(Nullable.class)),
                name(field.getGenericType()),
                field.getName());
    Class<?> type = field.getType();
    boolean constant =
        Modifier.isStatic(field.getModifiers())
            && Modifier.isFinal(field.getModifiers())
            && (type.isPrimitive() || type == String.class);
    return constant ? text + " = " + valueOf(field) : text;
  }

  private static String valueOf(Field field) {
    try {
      return String.valueOf(field.get(null));
    } catch (IllegalAccessException e) {
      return "?"; // protected
    }
  }

  private static String describe(Executable member, String result, String name) {
    Type[] types = member.getGenericParameterTypes();
    List<String> parameters = new ArrayList<>();
    for (int i = 0; i < types.length; i++) {
      boolean nullable = member.getAnnotatedParameterTypes()[i].isAnnotationPresent(Nullable.class);
      String type = name(types[i]);
      boolean last = member.isVarArgs() && i == types.length - 1;
      parameters.add(
          nullable(nullable) + (last ? type.substring(0, type.length() - 2) + "..." : type));
    }
    boolean inInterface = member.getDeclaringClass().isInterface();
    int shown = inInterface ? SHOWN & ~Modifier.ABSTRACT : SHOWN;
    String thrown =
        Arrays.stream(member.getGenericExceptionTypes())
            .map(RecordedApi::name)
            .collect(joining(", "));
    String typeParameters = typeParameters(member);
    boolean isDefault = member instanceof Method method && method.isDefault();
    return Modifier.toString(member.getModifiers() & shown)
        + (isDefault ? " default " : " ")
        + (typeParameters.isEmpty() ? "" : typeParameters + " ")
        + result
        + name
        + parameters.stream().collect(joining(", ", "(", ")"))
        + (thrown.isEmpty() ? "" : " throws " + thrown);
  }

  private static String typeParameters(GenericDeclaration declaration) {
    TypeVariable<?>[] variables = declaration.getTypeParameters();
    return variables.length == 0
        ? ""
        : Arrays.stream(variables).map(RecordedApi::bounded).collect(joining(", ", "<", ">"));
  }

  private static String bounded(TypeVariable<?> variable) {
    String bounds =
        Arrays.stream(variable.getBounds())
            .filter(bound -> bound != Object.class)
            .map(RecordedApi::name)
            .collect(joining(" & "));
    return bounds.isEmpty() ? variable.getName() : variable.getName() + " extends " + bounds;
  }

  /** Without packages, as people read it; the line of a type has its full name. */
  private static String name(Type type) {
    return PACKAGES.matcher(name(type.getTypeName())).replaceAll("");
  }

  private static String name(String binaryName) {
    return binaryName.replace('$', '.');
  }

  private static String nullable(boolean annotated) {
    return annotated ? "@Nullable " : "";
  }
}
