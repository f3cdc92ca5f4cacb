export function packPackages(to: string): { readonly path: string; readonly bytes: number }[]
