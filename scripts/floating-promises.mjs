// Finds promises that nobody awaits or handles, with the types of the TypeScript compiler. Biome's rule of the same name
// infers types by itself and misses a sixth of them, above all those of Node's own functions such as `fs.rm`.
//   node scripts/floating-promises.mjs
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SyntaxKind } from 'typescript/unstable/ast';
import { API, TypeFlags } from 'typescript/unstable/sync';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/**
 * Every statement in the files of a project that drops a promise, and every `void promise` without a reason beside it
 * if `needsReason` is true for its file: `{ file, line, text, problem }`.
 */
export function findFloatingPromises(config, needsReason = () => true) {
  const api = new API({ cwd: path.dirname(config) });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [config] });
    return snapshot.getProjects().flatMap((project) => {
      const isPromise = promiseTest(project.checker);
      return project.rootFiles.flatMap((file) => {
        const source = project.program.getSourceFile(file);
        const found = candidatesIn(source, needsReason(file));
        const types =
          found.length === 0 ? [] : project.checker.getTypeAtLocation(found.map(({ node }) => node));
        return found
          .filter((_, index) => isPromise(types[index]))
          .map(({ node, problem }) => ({ file, problem, ...positionOf(node, source) }));
      });
    });
  } finally {
    api.close();
  }
}

function candidatesIn(source, needsReason) {
  const lines = source.text.split('\n');
  const found = [];
  const visit = (node, statement) => {
    if (node.kind === SyntaxKind.ExpressionStatement) {
      const dropped = droppedPromise(node.expression);
      if (dropped)
        found.push({ node: dropped, problem: 'await it, handle its failure, or use void with a reason' });
    }
    if (node.kind === SyntaxKind.VoidExpression && needsReason && !hasReason(node, statement, source, lines))
      found.push({
        node: node.expression,
        problem: 'void needs a comment with the reason, beside it or above it',
      });
    const inner = isStatement(node) ? node : statement;
    node.forEachChild((child) => visit(child, inner));
  };
  source.forEachChild((child) => visit(child, child));
  return found;
}

/** The expression whose value a statement drops; undefined if failures of the promise are handled. */
function droppedPromise(expression) {
  if (expression.kind === SyntaxKind.ParenthesizedExpression) return droppedPromise(expression.expression);
  if (expression.kind === SyntaxKind.AwaitExpression || expression.kind === SyntaxKind.VoidExpression)
    return undefined;
  if (expression.kind === SyntaxKind.BinaryExpression && isAssignment(expression)) return undefined;
  const callee = expression.kind === SyntaxKind.CallExpression ? expression.expression : undefined;
  if (callee?.kind !== SyntaxKind.PropertyAccessExpression) return expression;
  const method = callee.name.text;
  const count = expression.arguments.length;
  if ((method === 'catch' && count === 1) || (method === 'then' && count === 2)) return undefined;
  return method === 'finally' ? droppedPromise(callee.expression) : expression;
}

function isAssignment({ operatorToken: { kind } }) {
  return kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment;
}

function isStatement({ kind }) {
  return (
    (kind >= SyntaxKind.FirstStatement && kind <= SyntaxKind.LastStatement) ||
    kind === SyntaxKind.PropertyDeclaration
  );
}

function hasReason(node, statement, source, lines) {
  const first = lineOf(statement, source);
  const own = lineOf(node, source);
  const isComment = (line = '') => /^\s*(\/\/|\*|\/\*)/.test(line);
  return / \/\/ /.test(lines[own]) || isComment(lines[own - 1]) || isComment(lines[first - 1]);
}

function positionOf(node, source) {
  return { line: lineOf(node, source) + 1, text: node.getText(source).split('\n')[0] };
}

function lineOf(node, source) {
  return source.text.slice(0, node.getStart(source)).split('\n').length - 1;
}

function promiseTest(checker) {
  const known = new Map();
  const test = (type) => {
    if (!type || type.flags & (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.Never)) return false;
    if (!known.has(type.id)) known.set(type.id, isPromise(type));
    return known.get(type.id);
  };
  const isPromise = (type) => {
    if (type.isUnionType()) return type.getTypes().some(test);
    if (checker.isArrayType(type)) return checker.getTypeArguments(type).some(test);
    return checker.getPropertyOfType(type, 'then') !== undefined;
  };
  return test;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const inSource = (file) => file.startsWith(path.join(root, 'src') + path.sep);
  const configs = [path.join(root, 'tsconfig.json'), path.join(root, 'scripts', 'tsconfig.json')];
  const found = configs.flatMap((config) => findFloatingPromises(config, inSource));
  for (const { file, line, text, problem } of found)
    console.log(`${path.relative(root, file)}:${line}: ${text}\n    ${problem}`);
  if (found.length > 0) process.exitCode = 1;
}
