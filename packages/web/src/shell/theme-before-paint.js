;(() => {
  let choice
  try {
    choice = JSON.parse(localStorage.getItem('touchstone.theme'))
  } catch {}
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
