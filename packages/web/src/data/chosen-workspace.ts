const NAME = 'touchstone.workspace'

let chosen: string | undefined

/** The workspace that this page's requests speak to; undefined leaves it to the server, which takes the one used last. */
export function chosenWorkspace(): string | undefined {
  return chosen
}

/** @param id  undefined forgets it, also for pages that are opened later */
export function writeChosenWorkspace(id: string | undefined): void {
  chosen = id
  if (id === undefined) localStorage.removeItem(NAME)
  else localStorage.setItem(NAME, id)
}

/** The one that was chosen last in this browser; the caller belonged to it then. */
export function lastWorkspace(): string | undefined {
  return localStorage.getItem(NAME) ?? undefined
}
