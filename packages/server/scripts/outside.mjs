/**
 * Packages with native code, WebAssembly or worker files that must stay where they are. The published server depends on
 * them; its bundle contains all others.
 */
export const OUTSIDE = [
  'chdb',
  '@electric-sql/pglite',
  'fs-native-extensions',
  'pino',
  '@jitl/quickjs-wasmfile-release-sync',
]
