/**
 * Reads what a source file imports and uses, from its syntax tree and not from its text, so that
 * comments and strings do not count. Deno's linter gives the tree.
 *
 * @module
 */

/** One import or re-export, static or dynamic with a literal. */
export type ImportFact = {
  /** The specifier as it is written. */
  specifier: string;
  /** The compiler erases it: `import type`, `export type`, `import("x").Y`. */
  isTypeOnly: boolean;
  /** It happens at run time, by `import("x")`. */
  isDynamic: boolean;
};

/** What a file does that the layout has a rule for. */
export type SourceFacts = {
  /** All imports and re-exports whose specifier is written out. */
  imports: ImportFact[];
  /** The texts of the `import()`s whose specifier is computed. */
  computedImports: string[];
  /** The names used of the global `Deno`, such as `Deno.env`. */
  denoNames: string[];
  /** Calls of `.run()` on something called a handler. */
  handlerCalls: string[];
  /** Uses of the global `process`, which is slow to reach for. */
  processUses: number;
};

/** Reads the facts of one file; `name` is only used for its ending. */
export function readFacts(name: string, source: string): SourceFacts {
  const facts: SourceFacts = {
    imports: [],
    computedImports: [],
    denoNames: [],
    handlerCalls: [],
    processUses: 0,
  };
  const add = (specifier: string, isTypeOnly: boolean, isDynamic: boolean): void => {
    facts.imports.push({ specifier, isTypeOnly, isDynamic });
  };
  const plugin: Deno.lint.Plugin = {
    name: "facts",
    rules: {
      facts: {
        create: ({ sourceCode }) => ({
          ImportDeclaration: (node) => add(node.source.value, node.importKind === "type", false),
          ExportAllDeclaration: (node) => add(node.source.value, node.exportKind === "type", false),
          ExportNamedDeclaration(node) {
            if (node.source) add(node.source.value, node.exportKind === "type", false);
          },
          ImportExpression(node) {
            const { source } = node;
            if (source.type === "Literal" && typeof source.value === "string") {
              add(source.value, false, true);
            } else {
              facts.computedImports.push(sourceCode.getText(node));
            }
          },
          TSImportType(node) {
            const [, specifier] = /import\(\s*["']([^"']+)/.exec(sourceCode.getText(node)) ?? [];
            if (specifier) add(specifier, true, false);
          },
          MemberExpression(node) {
            if (node.object.type === "Identifier" && node.object.name === "Deno") {
              facts.denoNames.push(sourceCode.getText(node));
            }
            if (node.property.type === "Identifier" && node.property.name === "Deno") {
              facts.denoNames.push(sourceCode.getText(node));
            }
          },
          TSQualifiedName(node) {
            const text = sourceCode.getText(node);
            if (text.startsWith("Deno.")) facts.denoNames.push(text);
          },
          CallExpression(node) {
            // `handler.run(…)` and `handler.run.call(…)` are the same call.
            const direct = node.callee;
            const callee =
              direct.type === "MemberExpression" && sourceCode.getText(direct.property) === "call"
                ? direct.object
                : direct;
            if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
            if (callee.property.name === "run" && /handler$/i.test(nameOf(callee.object))) {
              facts.handlerCalls.push(sourceCode.getText(callee));
            }
          },
          Identifier(node) {
            if (node.name === "process" && node.parent.type === "MemberExpression") {
              if (node.parent.object === node) facts.processUses++;
            }
          },
        }),
      },
    },
  };
  Deno.lint.runPlugin(plugin, name, source);
  return facts;
}

/** The last name in `a`, `a.b` or `a.#b`; an empty text for what has none. */
function nameOf(node: Deno.lint.Expression | Deno.lint.Super): string {
  if (node.type === "Identifier") return node.name;
  if (node.type !== "MemberExpression") return "";
  return "name" in node.property ? String(node.property.name) : "";
}
