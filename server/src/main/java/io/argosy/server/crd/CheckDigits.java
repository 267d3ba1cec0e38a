package io.argosy.server.crd;

import io.argosy.server.cel.Patterns;

/** Numbers of books and of credit cards, whose last digit tells whether the others are right. */
final class CheckDigits {
    private static final String CARD = "^(4[0-9]{12}([0-9]{3})?|5[1-5][0-9]{14}|6(011|5[0-9]{2})[0-9]{12}"
            + "|3[47][0-9]{13}|3(0[0-5]|[68][0-9])[0-9]{11}|(2131|1800|35[0-9]{3})[0-9]{11})$";

    private CheckDigits() {}

    static boolean isBook10(String text) {
        String number = text.replaceAll("[\\s-]+", "");
        if (!Patterns.matches("^([0-9]{9}X|[0-9]{10})$", number)) {
            return false;
        }
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            sum += (i + 1) * (number.charAt(i) == 'X' ? 10 : number.charAt(i) - '0');
        }
        return sum % 11 == 0;
    }

    static boolean isBook13(String text) {
        String number = text.replaceAll("[\\s-]+", "");
        if (!Patterns.matches("^[0-9]{13}$", number)) {
            return false;
        }
        int sum = 0;
        for (int i = 0; i < 13; i++) {
            sum += (i % 2 == 0 ? 1 : 3) * (number.charAt(i) - '0');
        }
        return sum % 10 == 0;
    }

    static boolean isCard(String text) {
        String number = text.replaceAll("[^0-9]+", "");
        if (!Patterns.matches(CARD, number)) {
            return false;
        }
        int sum = 0;
        for (int i = 0; i < number.length(); i++) {
            int digit = number.charAt(number.length() - 1 - i) - '0';
            sum += i % 2 == 0 ? digit : digit < 5 ? 2 * digit : 2 * digit - 9;
        }
        return sum % 10 == 0;
    }
}
