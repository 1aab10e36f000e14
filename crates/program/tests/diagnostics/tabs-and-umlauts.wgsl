fn f() {
	/* Größe */	let größe = höhe;
}
