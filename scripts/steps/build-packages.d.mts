export function buildPackages(options?: { only?: readonly string[] | undefined; force?: boolean }): boolean
export function stalePackages(): string[]
