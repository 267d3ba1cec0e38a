package io.argosy.node.image;

import io.argosy.node.files.Privilege;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds the root folder of an image out of Debian package files. Maintainer scripts are not run; the few things they do
 * that a container needs are done here: users, links, the linker's cache, certificates.
 */
final class DebianRootfs {
    private static final Logger LOG = LoggerFactory.getLogger(DebianRootfs.class);
    private static final Duration UNPACK = Duration.ofMinutes(5);
    private static final List<String> UNWANTED = List.of(
            "usr/share/doc/",
            "usr/share/doc-base/",
            "usr/share/man/",
            "usr/share/info/",
            "usr/share/locale/",
            "usr/share/lintian/",
            "usr/share/bug/",
            "usr/share/bash-completion/",
            "usr/share/linda/");
    private static final List<String> FOLDERS = List.of(
            "dev",
            "etc",
            "home",
            "mnt",
            "opt",
            "proc",
            "root",
            "run",
            "srv",
            "sys",
            "tmp",
            "usr/bin",
            "usr/lib",
            "usr/lib64",
            "usr/sbin",
            "var/cache",
            "var/lib",
            "var/log",
            "var/tmp");
    private static final String PASSWD = """
        root:x:0:0:root:/root:/bin/sh
        daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
        bin:x:2:2:bin:/bin:/usr/sbin/nologin
        sys:x:3:3:sys:/dev:/usr/sbin/nologin
        mail:x:8:8:mail:/var/mail:/usr/sbin/nologin
        www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin
        nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
        """;
    private static final String GROUP = """
        root:x:0:
        daemon:x:1:
        bin:x:2:
        sys:x:3:
        adm:x:4:
        tty:x:5:
        disk:x:6:
        mail:x:8:
        www-data:x:33:
        shadow:x:42:
        utmp:x:43:
        staff:x:50:
        users:x:100:
        nogroup:x:65534:
        """;

    private final Path root;

    DebianRootfs(Path root) {
        this.root = root;
    }

    /** A user that a package's scripts would have made, and the folders that are to be theirs. */
    private record User(String name, int id, String home, String packages, List<String> folders) {}

    private static final List<User> USERS = List.of(
            new User(
                    "mysql",
                    999,
                    "/var/lib/mysql",
                    "mariadb-server",
                    List.of("var/lib/mysql", "run/mysqld", "var/log/mysql")),
            new User("etcd", 998, "/var/lib/etcd", "etcd-server", List.of("var/lib/etcd")),
            new User("haproxy", 997, "/var/lib/haproxy", "haproxy", List.of("var/lib/haproxy", "run/haproxy")),
            new User("postgres", 996, "/var/lib/postgresql", "postgresql", List.of("var/lib/postgresql")),
            new User("redis", 995, "/var/lib/redis", "redis-server", List.of("var/lib/redis", "run/redis")),
            new User("memcache", 994, "/nonexistent", "memcached", List.of()),
            new User("bind", 993, "/var/cache/bind", "bind9", List.of("var/cache/bind", "run/named")));

    /** The folders every root has, with the programs' folders merged under /usr as in Debian. */
    void prepare() throws IOException {
        for (String folder : FOLDERS) {
            Files.createDirectories(root.resolve(folder));
        }
        for (String merged : List.of("bin", "sbin", "lib", "lib64")) {
            link(merged, "usr/" + merged);
        }
        link("var/run", "/run");
        link("var/lock", "/run/lock");
        mode(root, "rwxr-xr-x");
        mode(root.resolve("root"), "rwx------");
        for (String shared : List.of("tmp", "var/tmp")) {
            Files.setAttribute(root.resolve(shared), "unix:mode", 01777);
        }
    }

    void unpack(Path debianPackage) {
        long bytes = Tool.run(UNPACK, List.of("dpkg-deb", "--fsys-tarfile", debianPackage.toString()), this::unpackTar);
        LOG.debug("{}: {} bytes", debianPackage.getFileName(), bytes);
    }

    private long unpackTar(java.io.InputStream tar) throws IOException {
        try (LayerUnpacker unpacker = new LayerUnpacker(root, UnpackPolicy.DEFAULT)) {
            return unpacker.only(DebianRootfs::wanted).merging().unpack(tar);
        }
    }

    private static boolean wanted(String path) {
        boolean licence = path.startsWith("usr/share/doc/") && path.endsWith("/copyright");
        return licence || UNWANTED.stream().noneMatch(path::startsWith);
    }

    /** Does what the packages' scripts would have done, as far as containers need it. */
    void finish(List<String> packages) throws IOException {
        users(packages);
        text(
                "etc/nsswitch.conf",
                "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\n"
                        + "protocols: files\nservices: files\n");
        text("etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux\"\nNAME=\"Debian GNU/Linux\"\nID=debian\n");
        alternatives();
        busybox();
        nginx();
        certificates();
        linkerCache();
    }

    private void users(List<String> packages) throws IOException {
        StringBuilder passwd = new StringBuilder(PASSWD);
        StringBuilder group = new StringBuilder(GROUP);
        for (User user : USERS) {
            if (packages.stream().noneMatch(name -> name.startsWith(user.packages()))) {
                continue;
            }
            String numbers = user.id() + ":" + user.id();
            passwd.append(String.join(":", user.name(), "x", numbers, user.name(), user.home(), "/usr/sbin/nologin"))
                    .append('\n');
            group.append(user.name()).append(":x:").append(user.id()).append(":\n");
            for (String folder : user.folders()) {
                Path made = Files.createDirectories(root.resolve(folder));
                if (Privilege.isRoot()) {
                    Files.setAttribute(made, "unix:uid", user.id());
                    Files.setAttribute(made, "unix:gid", user.id());
                }
            }
        }
        text("etc/passwd", passwd.toString());
        text("etc/group", group.toString());
    }

    private void alternatives() throws IOException {
        linkIfThere("usr/bin/sh", "dash", "bash");
        linkIfThere("usr/bin/awk", "mawk", "gawk");
        linkIfThere("etc/mysql/my.cnf", "mariadb.cnf");
        linkIfThere("usr/bin/nc", "ncat", "nc.openbsd", "nc.traditional");
    }

    private void linkIfThere(String name, String... targets) throws IOException {
        for (String target : targets) {
            if (Files.exists(root.resolve(name).resolveSibling(target), LinkOption.NOFOLLOW_LINKS)) {
                link(name, target);
                return;
            }
        }
    }

    /** Gives every applet of busybox its name, where no real program has it. */
    private void busybox() throws IOException {
        Path program = root.resolve("usr/bin/busybox");
        if (!Files.isRegularFile(program)) {
            return;
        }
        String applets = Tool.run(Duration.ofSeconds(20), List.of(program.toString(), "--list"));
        for (String applet : applets.lines().toList()) {
            if (applet.matches("[a-zA-Z0-9._\\[-]+") && !there("usr/sbin/" + applet)) {
                link("usr/bin/" + applet, "busybox");
            }
        }
    }

    private void nginx() throws IOException {
        if (!there("etc/nginx/nginx.conf")) {
            return;
        }
        if (there("etc/nginx/sites-available/default")) {
            Files.createDirectories(root.resolve("etc/nginx/sites-enabled"));
            link("etc/nginx/sites-enabled/default", "/etc/nginx/sites-available/default");
        }
        Path welcome = root.resolve("usr/share/nginx/html/index.html");
        if (Files.exists(welcome)) {
            Files.createDirectories(root.resolve("var/www/html"));
            Path page = root.resolve("var/www/html/index.nginx-debian.html");
            if (!Files.exists(page)) {
                Files.copy(welcome, page);
            }
        }
        // Logs belong to the container's output, where kubectl logs finds them.
        Files.createDirectories(root.resolve("var/log/nginx"));
        link("var/log/nginx/access.log", "/dev/stdout");
        link("var/log/nginx/error.log", "/dev/stderr");
    }

    private void certificates() throws IOException {
        Path source = root.resolve("usr/share/ca-certificates/mozilla");
        if (!Files.isDirectory(source)) {
            return;
        }
        ByteArrayOutputStream bundle = new ByteArrayOutputStream();
        TreeSet<Path> sorted = new TreeSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(source, "*.crt")) {
            files.forEach(sorted::add);
        }
        for (Path file : sorted) {
            bundle.write(Files.readAllBytes(file));
        }
        Files.createDirectories(root.resolve("etc/ssl/certs"));
        Files.write(root.resolve("etc/ssl/certs/ca-certificates.crt"), bundle.toByteArray());
    }

    /** The dynamic linker finds the usual folders without a cache; with one it is quicker. */
    private void linkerCache() {
        if (!Privilege.isRoot() || !there("usr/lib64/ld-linux-x86-64.so.2")) {
            return;
        }
        try {
            Tool.run(Duration.ofMinutes(1), List.of("/sbin/ldconfig", "-i", "-X", "-r", root.toString()));
            Files.deleteIfExists(root.resolve("var/cache/ldconfig/aux-cache"));
        } catch (ImageException | IOException e) {
            LOG.warn("the image goes without a linker cache: {}", e.getMessage());
        }
    }

    /** Brings a file or folder of the host to a place in the image. */
    void add(Path source, String destination, Path stage) throws IOException {
        Path target = stage.resolve(destination.replaceFirst("^/+", "")).normalize();
        if (!target.startsWith(stage) || target.equals(stage)) {
            throw new ImageException(
                    ImageException.Kind.INVALID_NAME, "\"" + destination + "\" is not a place in an image");
        }
        Files.createDirectories(target.getParent());
        List<Path> tree = new ArrayList<>();
        try (var walk = Files.walk(source)) {
            walk.forEach(tree::add);
        }
        for (Path from : tree) {
            Files.copy(from, target.resolve(source.relativize(from).toString()), LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** Lays a tree of files over the root, keeping within it whatever links stand there. */
    void merge(Path stage) throws IOException {
        Path tar = Files.createTempFile(stage.getParent(), "add", ".tar");
        try {
            try (var out = Files.newOutputStream(tar)) {
                LayerWriter.write(stage, out);
            }
            try (var in = Files.newInputStream(tar);
                    LayerUnpacker unpacker = new LayerUnpacker(root, UnpackPolicy.DEFAULT)) {
                unpacker.merging().unpack(in);
            }
        } finally {
            Files.delete(tar);
        }
    }

    private boolean there(String path) {
        return Files.exists(root.resolve(path), LinkOption.NOFOLLOW_LINKS);
    }

    private void link(String name, String target) throws IOException {
        if (!there(name)) {
            Files.createSymbolicLink(root.resolve(name), Path.of(target));
        }
    }

    private void text(String name, String content) throws IOException {
        if (!there(name)) {
            Files.writeString(root.resolve(name), content, StandardCharsets.UTF_8, StandardOpenOption.CREATE_NEW);
            mode(root.resolve(name), "rw-r--r--");
        }
    }

    private static void mode(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }
}
