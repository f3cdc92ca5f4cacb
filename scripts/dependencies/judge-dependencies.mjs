/**
 * Compares the lockfile with what the repository allows. Development packages may have any license, since they are not
 * shipped; an install script runs on the developer's machine too, so it is checked for all.
 *
 * @param packages  `packages` of package-lock.json: path → entry
 * @param allowed   licenses by SPDX expression, and packages with an install script, each with its reason
 * @returns a sentence for each problem, with what to do
 */
export function findProblems(packages, allowed) {
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)
  const found = installed.flatMap(([path, entry]) => {
    const name = nameOf(path)
    return [...judgeLicense(name, entry, allowed), ...judgeInstallScript(name, entry, allowed)]
  })
  const scripted = new Set(installed.filter(([, entry]) => entry.hasInstallScript).map(([path]) => nameOf(path)))
  const outdated = Object.keys(allowed.installScripts)
    .filter((name) => !scripted.has(name))
    .map((name) => `${name} has no install script any more: remove it from scripts/dependencies/allowed.json.`)
  return [...new Set([...found, ...outdated])]
}

function judgeLicense(name, { license, version, dev }, allowed) {
  if (dev || allowed.licenses.includes(license) || name in allowed.licensesByPackage) return []
  return [
    `${name}@${version} has the license ${license ?? '(none stated)'}, which is not in scripts/dependencies/allowed.json. ` +
      'Read the license; add it there when we may ship it, or choose another package.',
  ]
}

function judgeInstallScript(name, { hasInstallScript, version }, allowed) {
  if (!hasInstallScript || name in allowed.installScripts) return []
  return [
    `${name}@${version} runs a script when it is installed. ` +
      'Read the script; add the package to scripts/dependencies/allowed.json with the reason, or choose another package.',
  ]
}

/** Returns the name of a package from its path: `node_modules/a/node_modules/@b/c` is `@b/c`. */
function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}
