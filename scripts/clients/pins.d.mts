export interface Pin {
  readonly file: string
  readonly registry: 'npm' | 'pypi'
  readonly name: string
  readonly version: string
}
export const PINNED_FILES: readonly string[]
export const PYTHON_FILES: readonly string[]
export function findPins(file: string, text: string): Pin[]
export function raisePin(file: string, text: string, name: string, version: string): string
export function readPins(): Pin[]
export function writePin(pin: Pin, version: string): void
export function compareNames(
  before: readonly string[],
  after: readonly string[],
): { added: string[]; removed: string[] }
