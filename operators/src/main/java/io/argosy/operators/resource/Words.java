package io.argosy.operators.resource;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Constants as a status writes them: HANDING_OVER is HandingOver there. */
public final class Words {
    private Words() {}

    public static String word(Enum<?> constant) {
        return Arrays.stream(constant.name().split("_"))
                .map(part -> part.charAt(0) + part.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
    }

    /** Null if no constant is written so. */
    public static <E extends Enum<E>> E constant(Class<E> type, String word) {
        return Stream.of(type.getEnumConstants())
                .filter(constant -> word(constant).equals(word))
                .findFirst()
                .orElse(null);
    }
}
