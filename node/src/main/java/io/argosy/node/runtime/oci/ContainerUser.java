package io.argosy.node.runtime.oci;

import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.SecurityContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** The numbers a container's process runs under, found from names through the image's own /etc/passwd and /etc/group. */
record ContainerUser(long uid, long gid, List<Long> groups) {

    private static final long MOST_FILE = 1 << 20;

    static ContainerUser of(Path rootfs, String imageUser, SecurityContext security) throws IOException {
        List<String[]> users = entries(rootfs, "/etc/passwd", 4);
        List<String[]> groups = entries(rootfs, "/etc/group", 3);

        String wanted = security.user().isPresent()
                ? Long.toString(security.user().getAsLong())
                : security.userName().orElse(imageUser);
        int colon = wanted.indexOf(':');
        String userPart = colon < 0 ? wanted : wanted.substring(0, colon);
        String groupPart = colon < 0 ? "" : wanted.substring(colon + 1);

        Optional<String[]> user = userPart.isEmpty() ? find(users, 2, "0") : findByNameOrNumber(users, userPart);
        long uid = userPart.isEmpty()
                ? 0
                : user.map(fields -> number(fields[2]))
                        .orElseGet(() -> require(
                                userPart, "unable to find user " + userPart + ": no matching entries in passwd file"));
        long gid;
        if (security.group().isPresent()) {
            gid = security.group().getAsLong();
        } else if (!groupPart.isEmpty()) {
            gid = findByNameOrNumber(groups, groupPart)
                    .map(fields -> number(fields[2]))
                    .orElseGet(() -> require(
                            groupPart, "unable to find group " + groupPart + ": no matching entries in group file"));
        } else {
            gid = user.map(fields -> number(fields[3])).orElse(0L);
        }
        Set<Long> all = new TreeSet<>(security.supplementalGroups());
        all.add(gid);
        Optional<String[]> member = security.strictGroups() ? Optional.empty() : user;
        member.ifPresent(fields -> groups.stream()
                .filter(group ->
                        group.length > 3 && List.of(group[3].split(",")).contains(fields[0]))
                .forEach(group -> all.add(number(group[2]))));
        return new ContainerUser(uid, gid, List.copyOf(all));
    }

    private static long require(String number, String complaint) {
        if (isNumber(number)) {
            return number(number);
        }
        throw new RuntimeFailure(RuntimeFailure.Kind.INVALID, complaint);
    }

    private static Optional<String[]> findByNameOrNumber(List<String[]> entries, String key) {
        Optional<String[]> byName = find(entries, 0, key);
        return byName.isPresent() || !isNumber(key) ? byName : find(entries, 2, key);
    }

    private static Optional<String[]> find(List<String[]> entries, int field, String value) {
        return entries.stream().filter(fields -> fields[field].equals(value)).findFirst();
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.length() <= 10 && text.chars().allMatch(Character::isDigit);
    }

    private static long number(String text) {
        long value = isNumber(text) ? Long.parseLong(text) : -1;
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new RuntimeFailure(
                    RuntimeFailure.Kind.INVALID, "uids and gids must be in range 0-2147483647: " + text);
        }
        return value;
    }

    /** Lines with at least so many fields and a numeric third one; a missing file has none. */
    private static List<String[]> entries(Path rootfs, String file, int atLeast) throws IOException {
        Path path = RootedPath.resolve(rootfs, file);
        if (!Files.isRegularFile(path) || Files.size(path) > MOST_FILE) {
            return List.of();
        }
        Predicate<String[]> sound = fields -> fields.length >= atLeast && isNumber(fields[2]);
        return Arrays.stream(new String(Files.readAllBytes(path), StandardCharsets.UTF_8).split("\n"))
                .map(line -> line.strip().split(":", -1))
                .filter(sound)
                .toList();
    }
}
