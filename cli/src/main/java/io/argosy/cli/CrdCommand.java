package io.argosy.cli;

import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code argosy crd}: definitions of custom resources. */
@Command(
        name = "crd",
        description = "Definitions of custom resources.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = CrdCommand.Generate.class)
final class CrdCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** Prints the definitions of annotated classes. */
    @Command(
            name = "generate",
            mixinStandardHelpOptions = true,
            description = "Prints the CustomResourceDefinitions of Java classes that are annotated as fabric8's are.")
    static final class Generate implements Callable<Integer> {
        @Option(
                names = {"-cp", "--class-path"},
                paramLabel = "PATH",
                required = true,
                description = "Folders and jars with the classes and what they need, separated as Java's class path.")
        private String classPath;

        @Parameters(paramLabel = "CLASS", arity = "1..*", description = "Full names of the classes.")
        private List<String> names;

        @Spec
        private CommandSpec spec;

        @Override
        public Integer call() throws IOException {
            Documents documents = new Documents();
            try (URLClassLoader classes =
                    new URLClassLoader(urls(classPath), getClass().getClassLoader())) {
                new CRDGenerator()
                        .customResourceClasses(load(classes))
                        .forCRDVersions("v1")
                        .withOutput(documents)
                        .detailedGenerate();
            }
            spec.commandLine().getOut().print(documents.text());
            spec.commandLine().getOut().flush();
            return 0;
        }

        private List<Class<? extends HasMetadata>> load(ClassLoader classes) {
            List<Class<? extends HasMetadata>> loaded = new ArrayList<>();
            for (String name : names) {
                try {
                    Class<?> found = Class.forName(name, true, classes);
                    if (!HasMetadata.class.isAssignableFrom(found)) {
                        throw refused(name + " is not a custom resource: it does not implement "
                                + HasMetadata.class.getName() + ".");
                    }
                    loaded.add(found.asSubclass(HasMetadata.class));
                } catch (ClassNotFoundException missing) {
                    throw refused("There is no class " + name + " on the path " + classPath + ".");
                } catch (LinkageError incomplete) {
                    throw refused(name + " cannot be loaded, something it needs is not on the path: "
                            + incomplete.getMessage() + ".");
                }
            }
            return loaded;
        }

        private ParameterException refused(String why) {
            return new ParameterException(spec.commandLine(), why);
        }

        private static URL[] urls(String path) throws MalformedURLException {
            List<URL> urls = new ArrayList<>();
            for (String part : path.split(File.pathSeparator)) {
                urls.add(new File(part).toURI().toURL());
            }
            return urls.toArray(URL[]::new);
        }
    }

    /** The documents as they are written, by the name of what they define. */
    private static final class Documents extends CRDGenerator.AbstractCRDOutput<ByteArrayOutputStream> {
        private final Map<String, ByteArrayOutputStream> written = new TreeMap<>();

        @Override
        protected ByteArrayOutputStream createStreamFor(String name) {
            return written.computeIfAbsent(name, key -> new ByteArrayOutputStream());
        }

        String text() {
            StringBuilder text = new StringBuilder();
            written.values()
                    .forEach(one -> text.append("---\n")
                            .append(one.toString(StandardCharsets.UTF_8).strip())
                            .append('\n'));
            return text.toString();
        }
    }
}
