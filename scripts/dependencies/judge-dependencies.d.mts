export interface LockedPackage {
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
  readonly hasInstallScript?: boolean
}

export interface AllowedDependencies {
  /** SPDX expressions. */
  readonly licenses: readonly string[]
  /** Packages whose license the lockfile does not state, or that is not in the list: name → reason. */
  readonly licensesByPackage: Readonly<Record<string, string>>
  /** Packages that run a script when they are installed: name → reason. */
  readonly installScripts: Readonly<Record<string, string>>
}

export function findProblems(packages: Readonly<Record<string, LockedPackage>>, allowed: AllowedDependencies): string[]
