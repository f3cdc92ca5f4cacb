export * from './read-manifest.ts'
export * from './template.ts'
