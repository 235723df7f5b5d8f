// Places lists that were drawn late: Quasar gives up after 60 ms, and the list would stay invisible. It listens to
// scrolling.
setInterval(() => {
  const late = (list) => list.style.visibility !== 'visible' && list.offsetHeight > 0;
  if ([...document.querySelectorAll('.q-menu')].some(late)) window.dispatchEvent(new Event('scroll'));
}, 250);
