export * from './render-template.ts'
export * from './template.ts'
export * from './value-path.ts'
